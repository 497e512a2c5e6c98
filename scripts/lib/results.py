"""How many tests passed, and which took longest? Reads what cargo-nextest (JUnit) and lit (JSON) write.

  results.py count FILE [NOTED]  `N passed, N failed, N skipped`; a file that is not there counts no test. NOTED of
                                 those that ended well found out that they cannot run here
  results.py slowest FILE...     the twenty slowest tests of all files
"""

import json
import os
import sys
import xml.etree.ElementTree

SLOWEST = 20


def nextest(file):
    """Seconds, name and result of each test."""
    for suite in xml.etree.ElementTree.parse(file).getroot():
        for case in suite.iter("testcase"):
            is_bad = any(child.tag in ("failure", "error") for child in case)
            name = f"{suite.get('name').removesuffix('::suite')} {case.get('name')}"
            yield float(case.get("time", 0)), name, "failed" if is_bad else "passed"


def lit(file):
    """The same for lit."""
    good, skipped = ("PASS", "XFAIL", "FLAKYPASS"), ("UNSUPPORTED", "SKIPPED")
    results = dict.fromkeys(good, "passed") | dict.fromkeys(skipped, "skipped")
    for test in json.load(open(file))["tests"]:
        if test["code"] != "EXCLUDED":  # does not match the filter
            name = test["name"].replace("warpwise :: ", "lit ")
            yield test.get("elapsed") or 0.0, name, results.get(test["code"], "failed")


def read(file):
    if not os.path.exists(file):
        return []
    return list(lit(file) if file.endswith(".json") else nextest(file))


def count(file, noted="0"):
    results = [result for _, _, result in read(file)]
    passed, failed, skipped = (results.count(result) for result in ("passed", "failed", "skipped"))
    print(f"{passed - int(noted)} passed, {failed} failed, {skipped + int(noted)} skipped")


def slowest(*files):
    tests = sorted((test for file in files for test in read(file)), reverse=True)
    for seconds, name, _ in tests[:SLOWEST]:
        print(f"{seconds:7.1f} s  {name}")


{"count": count, "slowest": slowest}[sys.argv[1]](*sys.argv[2:])
