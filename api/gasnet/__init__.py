"""The generated parts of the GASNet-EX headers: those that the tables beside this file describe."""
