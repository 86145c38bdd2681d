"""Words of the Penn Treebank by a pattern, without the package's code."""

from __future__ import annotations

import re

# Abbreviations whose period ends no sentence even before a capital, like the period of an initial.
_ABBREVIATIONS = (
    "Mr Mrs Ms Messrs Dr Prof Rev Hon St Jr Sr Gen Col Maj Capt Lt Sgt Adm Gov Sen Rep Pres "
    "vs Fig Vol Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec U[.]S U[.]K U[.]N"
)
_ALONE = r"""()\[\]{}<>;@#$%&?!*"“”„\u2018’«»"""
_CLOSING = r"""[)\]}>"'”’»]*"""
_AROUND = r"""[\s()\[\]{}<>"'“”„\u2018’«»`]*"""
_NO_LOWER_CASE = r"[^\W_a-zß-öø-ÿ]"
_STOP = rf"\.(?={_AROUND}$|{_CLOSING}\s{_AROUND}{_NO_LOWER_CASE})"
_CLITIC = rf"(?i:n't|'(?:s|m|d|ll|re|ve)?)(?=$|[\s.,:{_ALONE}]|--|'')"
_WORD = re.compile(
    rf"""
      (?<![\w'])(?i:can(?=not\b) | d(?='ye\b) | gim(?=me\b) | gon(?=na\b) | got(?=ta\b)
        | lem(?=me\b) | more(?='n\b) | wan(?=na\b) | 't(?=is\b|was\b))
    | [^\W_nN]++(?=\s)  # a short cut: what most words are
    | [{_ALONE}] | [,:](?!\d) | \.\.+ | -- | '' | `+
    | (?<![\w.])(?: [^\W\d_] | {"|".join(_ABBREVIATIONS.split())} | No(?=\.\s\d) )\.
        (?=\s)(?!{_AROUND}$)
    | {_STOP}
    | {_CLITIC}
    | (?: [^\s.,:'`nN\-{_ALONE}]++ | (?!{_CLITIC}|'')[nN'] | (?!{_STOP}|\.\.)\. | -(?!-)
        | [,:](?=\d) )+
    """,
    re.VERBOSE,
)


def treebank_words(text: str) -> list[str]:
    """Cut text into words and punctuation marks."""
    return _WORD.findall(text)
