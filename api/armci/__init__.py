"""What is generated from the headers of ARMCI."""
