// The command line of the examples: a table of the arguments that each one accepts, filled in
// place.
//
// Every rank parses the same command line with the same result, so nothing is sent; only rank 0
// prints. A wrong argument ends the job with status 2.
#pragma once

#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum argument_kind { WHOLE_NUMBER, REAL_NUMBER, TEXT, SWITCH };

struct argument {
  const char* name;  // "--size"
  const char* help;
  enum argument_kind kind;
  double low, high;  // the range of a number
  double number;     // the default, then the user's value; for a switch: 0 or 1
  const char* text;
};

static inline void print_help(const char* purpose, const struct argument* table, int rows) {
  printf("%s\n\n", purpose);
  for (int i = 0; i < rows; ++i) {
    const struct argument* row = &table[i];
    const char* operand = row->kind == SWITCH ? "" : row->kind == TEXT ? " FILE" : " N";
    printf("  %s%-*s %s", row->name, (int)(18 - strlen(row->name)), operand, row->help);
    if (row->kind == WHOLE_NUMBER || row->kind == REAL_NUMBER)
      printf(" (default %.9g)", row->number);
    printf("\n");
  }
}

// Ends the job with status 2 after rank 0 has printed the reason. Called by all ranks: the barrier
// keeps the others from ending the job before the message is out.
static inline void refuse(const char* program, const char* subject, const char* why) {
  if (shmem_my_pe() == 0) fprintf(stderr, "%s: %s: %s\n", program, subject, why);
  shmem_barrier_all();
  shmem_global_exit(2);
}

static inline void take_number(const char* program, struct argument* row, const char* text) {
  char* end = NULL;
  const double value = strtod(text, &end);
  const int whole = row->kind == WHOLE_NUMBER;
  const int good = *text != '\0' && *end == '\0' && value >= row->low && value <= row->high &&
                   (!whole || value == floor(value));
  if (!good) {
    char why[160];
    snprintf(why, sizeof why, "expected a %s from %.9g to %.9g, not \"%.40s\"",
             whole ? "whole number" : "number", row->low, row->high, text);
    refuse(program, row->name, why);
  }
  row->number = value;
}

static inline void read_arguments(const char* purpose, struct argument* table, int rows, int argc,
                                  char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0) {
      if (shmem_my_pe() == 0) print_help(purpose, table, rows);
      shmem_finalize();
      exit(0);
    }
    struct argument* row = NULL;
    for (int r = 0; r < rows; ++r) {
      if (strcmp(argv[i], table[r].name) == 0) row = &table[r];
    }
    if (row == NULL) refuse(argv[0], argv[i], "not an argument of this program; try --help");
    if (row->kind == SWITCH) {
      row->number = 1;
      continue;
    }
    if (i + 1 == argc) refuse(argv[0], argv[i], "a value must follow");
    ++i;
    if (row->kind == TEXT) {
      row->text = argv[i];
    } else {
      take_number(argv[0], row, argv[i]);
    }
  }
}
