"""The comparison of attest verify's output-within-bound, in Python's decimal at 50 digits.

usage: verify_twin.py FILE
FILE: problem after problem: batch, heads, queries, keys, width and value width on a line, then the
elements of q, k, v and of a kernel's output as hexadecimal floats, one a line. Prints the seconds a
problem took, reading left out; ends with 1 if an output is not within 1e-9 of the truth.
"""

import sys
import time
from decimal import Decimal, getcontext

from decimal_twin import attend


def read(path):
    problems = []
    with open(path) as file:
        for line in file:
            batch, heads, queries, keys, width, value_width = (int(x) for x in line.split())

            def rows(count, columns):
                return [[Decimal(float.fromhex(file.readline())) for _ in range(columns)]
                        for _ in range(count)]

            def tensor(count, columns):
                return [rows(count, columns) for _ in range(batch * heads)]

            problems.append((tensor(queries, width), tensor(keys, width),
                             tensor(keys, value_width), tensor(queries, value_width)))
    return problems


def agrees(problem):
    for q, k, v, output in zip(*problem):
        for truth, got in zip(attend(q, k, v), output):
            if any(abs(t - g) > Decimal("1e-9") for t, g in zip(truth, got)):
                return False
    return True


def main():
    getcontext().prec = 50
    problems = read(sys.argv[1])
    start = time.perf_counter()
    right = all([agrees(problem) for problem in problems])
    print((time.perf_counter() - start) / len(problems))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
