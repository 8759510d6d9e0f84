# SPDX-License-Identifier: Apache-2.0
"""The Python code of a page of the documents, by its sections."""
import re


def code_of(page, only=None, but=()):
    """The blocks of Python of the section with this heading, or of all sections but some."""
    blocks = []
    for section in re.split(r"^## ", page.read_text(), flags=re.M):
        heading = section.split("\n", 1)[0]
        if heading == only or (only is None and heading not in but):
            blocks += re.findall(r"```python\n(.*?)```", section, re.S)
    return blocks
