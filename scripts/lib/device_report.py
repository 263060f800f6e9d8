"""Reads what compilers for devices say of kernels, prints a table, and checks it.

usage: device_report.py TARGET [--allowed FILE] < FOLDERS
FOLDERS: one a line, as device_unit.sh makes them. Exit status 1 if there are findings.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

SIZES = {"float": 4, "double": 8, "signed char": 1, "bf16": 2, "half": 2}
HIP_WIDTHS = {"dwordx4": 16, "b128": 16, "dwordx3": 12, "b96": 12, "dwordx2": 8, "b64": 8, "dword": 4, "b32": 4}
# Kokkos itself goes round a loop over the teams or indices of a launch (on AMD
# devices not over the indices of a parallel_for): those within it are ours.
INNER = 2


class Kernel:
    """One kernel: resources by name, widths of its accesses, and the instructions that matter."""

    def __init__(self, symbol):
        self.symbol = symbol
        self.name = symbol
        self.resources = collections.defaultdict(int)
        self.loads = collections.Counter()
        self.stores = collections.Counter()
        self.doubles = set()
        self.divisions = set()  # of 64 bits, in loops


def loop_depths_of_ptx(lines):
    """For each line, how many labels there are before it to which a later line branches back."""
    labels, ends = {}, {}
    for number, line in enumerate(lines):
        if match := re.match(r"(\$\w+):", line):
            labels[match[1]] = number
        elif match := re.search(r"\bbra(?:\.uni)?\s+(\$\w+)", line):
            if match[1] in labels:
                ends[match[1]] = number
    depths = [0] * len(lines)
    for label, end in ends.items():
        for number in range(labels[label], end):
            depths[number] += 1
    return depths


def read_ptx(folder):
    kernels = {}
    text = (folder / "unit.ptx").read_text()
    for symbol, body in re.findall(r"\.entry (\w+)\(.*?\n\{\n(.*?)\n\}", text, re.S):
        kernel = kernels[symbol] = Kernel(symbol)
        lines = [line.strip() for line in body.split("\n")]
        depths = loop_depths_of_ptx(lines)
        for number, line in enumerate(lines):
            access = re.search(r"\b(ld|st)\.(\S+)\s", line)
            if access and not re.search(r"param|shared|const|local", access[2]):
                vector = re.search(r"\bv(\d)\b", access[2].replace(".", " "))
                bits = int(re.search(r"[usfb](\d+)$", access[2])[1])
                width = bits // 8 * (int(vector[1]) if vector else 1)
                (kernel.loads if access[1] == "ld" else kernel.stores)[width] += 1
            if match := re.match(r"(?:@\S+\s+)?((?:add|sub|mul|fma|div|rcp|sqrt|neg|abs|min|max|cvt)\.[\w.]*f64\S*)", line):
                kernel.doubles.add(match[1])
            if depths[number] >= INNER and (match := re.match(r"(?:@\S+\s+)?((?:div|rem)\.[us]64)", line)):
                kernel.divisions.add(match[1])
    current = None
    for line in (folder / "log").read_text().split("\n"):
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            current = kernels.get(match[1])
        elif current is None:
            continue
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            current.resources["stack"] = int(match[1])
            current.resources["spills"] = int(match[2]) + int(match[3])
        elif match := re.search(r"Used (\d+) registers", line):
            current.resources["registers"] = int(match[1])
            shared = re.search(r"(\d+) bytes smem", line)
            current.resources["shared"] = int(shared[1]) if shared else 0
            current = None
    return kernels.values()


def read_amdgcn(folder):
    kernels = {}
    text = (folder / "unit.s").read_text()
    for symbol in re.findall(r"^\s*\.amdhsa_kernel (\w+)", text, re.M):
        kernel = kernels[symbol] = Kernel(symbol)
        body = re.search(rf"^{symbol}:(.*?)^\.Lfunc_end", text, re.M | re.S)[1]
        depth = 0
        inner = INNER if re.search("TeamPolicy|ParallelReduce", symbol) else INNER - 1
        for line in body.split("\n"):
            if re.match(r"\.LBB\w+:|; %bb", line):
                depth = 0
            if match := re.search(r";.*Loop.* Depth=(\d+)", line):
                depth = max(depth, int(match[1]))
            if match := re.match(r"\s*(?:global|flat)_(load|store)_(\w+)", line):
                width = HIP_WIDTHS.get(match[2]) or (1 if "byte" in match[2] or match[2].endswith("8") else 2)
                (kernel.loads if match[1] == "load" else kernel.stores)[width] += 1
            if match := re.match(r"\s*(v_(?!mov|cndmask)\w*f64\w*)", line):
                kernel.doubles.add(match[1])
            # There is no instruction for it: it begins with an approximate reciprocal. Where the
            # divisor stays the same the compiler moves that before the loop, and only multiplications
            # remain, which look like any others: such a division is seen on CUDA alone.
            if depth >= inner and (match := re.match(r"\s*(v_rcp_iflag_f32|v_\w+.*0x4f800000)", line)):
                kernel.divisions.add(match[1])
    current = None
    names = {"TotalSGPRs": "scalar", "VGPRs": "registers", "ScratchSize [bytes/lane]": "stack", "SGPRs Spill": "scalar spills",
             "VGPRs Spill": "spills", "LDS Size [bytes/block]": "shared"}
    for line in (folder / "log").read_text().split("\n"):
        match = re.search(r"remark:\s+(.+?): (\S+) \[-Rpass", line)
        if not match:
            continue
        if match[1] == "Function Name":
            current = kernels.get(match[2])
        elif current is not None and match[1] in names:
            current.resources[names[match[1]]] += int(match[2])
    return kernels.values()


def demangle(kernels):
    symbols = "\n".join(kernel.symbol for kernel in kernels)
    names = subprocess.run(["c++filt"], input=symbols, capture_output=True, text=True, check=True).stdout.split("\n")
    for kernel, name in zip(kernels, names):
        kernel.name = shorten(name)


def shorten(name):
    """The functor of a Kokkos launch, without namespaces and what is the same everywhere."""
    begin = re.search(r"Parallel(?:For|Reduce|Scan)<(?:Kokkos::Impl::CombinedFunctorReducer<)?", name)
    if begin:
        depth, end = 0, begin.end()
        while end < len(name) and (depth > 0 or name[end] not in ",>"):
            depth += {"<": 1, "{": 1, "(": 1, ">": -1, "}": -1, ")": -1}.get(name[end], 0)
            end += 1
        name = name[begin.end():end]
    name = re.sub(r"\b(?:\w+::)+", "", name)
    name = re.sub(r"KVCacheStaticParams\{(\d+), (\d+)[^}]*\}", r"\1x\2", name)
    name = re.sub(r"PagedKVCache<(.+?), (\d+x\d+), (\d+), \w+, NoScales>", r"\1[\3x\2]", name)
    return name.replace(" const>", ">").replace(" const,", ",")


def narrow_accesses(kernel):
    """Why a kernel that could move 16 bytes at once does not, or nothing."""
    if match := re.match(r"CopyPart<(.+), (\d+)>", kernel.name):
        if match[2] == "1":
            return  # for pages whose address or size is no multiple of 16 bytes
        has_input = True
    else:
        caches = re.findall(r"(?:Store|Load)Row<([\w ]+)\[\d+x\d+x(\d+)\]", kernel.name)
        aligned = re.findall(r">, (true|false)>", kernel.name)
        if not caches or "false" in aligned:
            return  # likewise for rows
        if any(int(head_size) * SIZES[storage] % 16 != 0 for storage, head_size in caches):
            return
        has_input = "Elements" not in kernel.name
    # One store of 4 bytes is Kokkos': it gives back a team's scratch memory.
    narrow = kernel.stores - collections.Counter({4: 1})
    if any(width < 16 for width in narrow):
        yield "stores of less than 16 bytes: " + widths(narrow)
    if has_input and max(kernel.loads, default=0) < 16:
        yield "no load of 16 bytes: " + widths(kernel.loads)


def findings(kernel):
    moves = re.search(r"StoreRow|LoadRow|CopyPart|Broken|TeamAttention", kernel.name)
    if moves and kernel.resources["spills"] > 0:
        yield f"spills registers: {kernel.resources['spills']}"
    if moves and kernel.resources["stack"] > 0:
        yield f"has a stack frame of {kernel.resources['stack']} bytes"
    if moves and kernel.resources["scalar spills"] > 0:
        yield f"spills scalar registers: {kernel.resources['scalar spills']}"
    yield from narrow_accesses(kernel)
    if kernel.doubles and "double" not in kernel.name:
        yield "computes in double precision: " + ", ".join(sorted(kernel.doubles))
    if kernel.divisions:
        yield "divides wide integers in a loop: " + ", ".join(sorted(kernel.divisions))


def widths(counter):
    return " ".join(f"{width}x{count}" for width, count in sorted(counter.items(), reverse=True)) or "-"


def read_allowed(file):
    """Lines `pattern | pattern of the finding | reason`."""
    entries = []
    for line in file.read_text().split("\n") if file else []:
        if line.strip() and not line.startswith("#"):
            entries.append([part.strip() for part in line.split(" | ", 2)])
    return entries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--allowed", type=pathlib.Path)
    arguments = parser.parse_args()
    read = read_ptx if arguments.target.startswith("sm_") else read_amdgcn
    allowed = read_allowed(arguments.allowed)
    found = {}
    for line in sys.stdin:
        for kernel in read(pathlib.Path(line.strip())):
            found[kernel.symbol] = kernel
    # Kokkos' own kernels begin and end Views.
    demangle(list(found.values()))
    kernels = sorted((k for k in found.values() if not k.name.startswith("ViewValueFunctor")), key=lambda k: k.name)
    if not kernels:
        sys.exit(f"{arguments.target}: there are no kernels")

    print(f"\n{arguments.target}: {len(kernels)} kernels; widths of global accesses as bytes x count")
    print(f"{'regs':>4} {'spill':>5} {'stack':>5} {'shared':>6}  {'loads':<22} {'stores':<18} kernel")
    bad, excused = [], collections.Counter()
    for kernel in kernels:
        r = kernel.resources
        print(f"{r['registers']:>4} {r['spills'] + r['scalar spills']:>5} {r['stack']:>5} {r['shared']:>6}  {widths(kernel.loads):<22} "
              f"{widths(kernel.stores):<18} {kernel.name}")
        for finding in findings(kernel):
            reason = next((e for e in allowed if re.search(e[0], kernel.name) and re.search(e[1], finding)), None)
            if reason:
                excused[" | ".join(reason)] += 1
            else:
                bad.append(f"{kernel.name}: {finding}")
    for entry, count in excused.items():
        print(f"allowed {count} times: {entry}")
    for finding in bad:
        print(f"finding: {finding}")
    print(f"{arguments.target}: {len(bad)} findings in {len(kernels)} kernels")
    sys.exit(1 if bad else 0)


main()
