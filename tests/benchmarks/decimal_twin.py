"""Attention of one problem in Python's decimal at 50 digits, unshifted, as a slow second opinion.

usage: decimal_twin.py FILE
FILE: queries, keys, width and value width on the first line, then the elements of q, k and v as
hexadecimal floats, one a line. Prints the milliseconds the arithmetic took (best of three), then
every output.
"""

import sys
import time
from decimal import Decimal, getcontext


def read(path):
    with open(path) as file:
        queries, keys, width, value_width = (int(x) for x in file.readline().split())
        elements = [Decimal(float.fromhex(line)) for line in file]

    def rows(first, count, columns):
        return [elements[first + n * columns:first + (n + 1) * columns] for n in range(count)]

    k_first = queries * width
    v_first = k_first + keys * width
    return (rows(0, queries, width), rows(k_first, keys, width),
            rows(v_first, keys, value_width))


def attend(q, k, v):
    root = Decimal(len(q[0])).sqrt()
    columns = list(zip(*v))
    output = []
    for query in q:
        parts = [(sum(a * b for a, b in zip(query, key)) / root).exp() for key in k]
        total = sum(parts)
        weights = [part / total for part in parts]
        output.append([sum(w * x for w, x in zip(weights, column)) for column in columns])
    return output


def main():
    getcontext().prec = 50
    problem = read(sys.argv[1])
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        output = attend(*problem)
        best = min(best, time.perf_counter() - start)
    print(best * 1e3)
    for row in output:
        for x in row:
            print(x)


if __name__ == "__main__":
    main()
