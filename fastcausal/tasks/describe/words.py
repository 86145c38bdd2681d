"""Words of running text, cut by the conventions of the Penn Treebank.

These are the words of most published word counts. Choices that the conventions leave open follow
NLTK's ``word_tokenize`` up to version 3.9.1, with which the RECESS paper counted.
"""

from __future__ import annotations

import re

# Abbreviations whose period ends no sentence even before a capital, like that of an initial.
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
    """Cut text into words and punctuation marks.

    * Brackets, quotes and the marks ``; @ # $ % & ? ! *`` stand alone, as do ``--`` and ``...``;
      commas and colons too, unless a digit follows.
    * Clitics are cut off: ``do n't``, ``she 's``, ``the boys '``; so are the halves of ``cannot``,
      ``gonna`` and their like.
    * A period belongs to its word. It stands alone where a sentence ends: at the end of the text,
      and before white space and a word that starts with no lower-case letter. After a title, a
      month or another common abbreviation, or a one-letter initial, no sentence ends. (Longer
      initials, as in ``V.K. Rao``, do end one; NLTK's trained splitter takes most of them so.)

    Examples
    --------
    >>> treebank_words("Mr. Rao can't pay $1,500; he's broke.")
    ['Mr.', 'Rao', 'ca', "n't", 'pay', '$', '1,500', ';', 'he', "'s", 'broke', '.']
    >>> treebank_words("They met at 6 p.m. in Pune. “Why?” he asked.")[4:9]
    ['p.m.', 'in', 'Pune', '.', '“']
    """
    return _WORD.findall(text)
