"""Completion of words in bash, zsh and fish: scripts for the shells, and their questions.

A script calls the program with the words before the cursor, and offers its output. Unlike click's
scripts, these scripts also offer files, and values after ``--option=``.
"""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' type value files current=${COMP_WORDS[COMP_CWORD]#=}
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("$value") ;;
            file) files=yes ;;
        esac
    done < <(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD \
%(complete_var)s=bash_complete "$1")
    if [[ $files && ${#COMPREPLY[@]} == 0 ]]; then
        compopt -o default
    elif [[ $files ]]; then
        compopt -o filenames
        while read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
    fi
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

ZSH = """\
#compdef %(prog_name)s
%(complete_func)s() {
    local -a lines names described
    local type value help
    lines=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
%(complete_var)s=zsh_complete %(prog_name)s)}")
    compset -P '--*='
    for type value help in $lines; do
        case $type in
            file) _path_files -f ;;
            plain)
                if [[ $help == _ ]]; then names+=("$value"); else described+=("$value:$help"); fi
                ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described
    (( $#names )) && compadd -V unsorted -a names
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = """\
function %(complete_func)s
    set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
    for line in (COMP_WORDS=(commandline -cp | string collect) \
COMP_CWORD=(commandline -ct | string collect) %(complete_var)s=fish_complete %(prog_name)s)
        set -l item (string split -m 1 , -- $line)
        switch $item[1]
            case file
                __fish_complete_path $item[2] | string replace -r '^' -- "$option"
            case plain
                echo -- "$option$item[2]"
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Bash(BashComplete):
    """Words of bash, which splits ``--option=value`` in three."""

    source_template = BASH
    source = ShellComplete.source  # without a search for the version of bash

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the current one, and the current one up to its end."""
        at = int(os.environ["COMP_CWORD"])
        words = split_arg_string(os.environ["COMP_WORDS"])[1 : at + 1]
        words += [""] * (at - len(words))
        joined: list[str] = []
        for word in words:
            if joined and joined[-1].startswith("--") and "=" in (word, joined[-1][-1:]):
                joined[-1] += word
            else:
                joined.append(word)
        return joined[:-1], joined[-1] if joined else ""


class _Zsh(ZshComplete):
    source_template = ZSH


class _Fish(FishComplete):
    source_template = FISH


for shell in (_Bash, _Zsh, _Fish):
    add_completion_class(shell)
