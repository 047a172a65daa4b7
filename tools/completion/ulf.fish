# SPDX-License-Identifier: MIT
# Completion for fish.  Copy this file to ~/.config/fish/completions or
# /usr/share/fish/vendor_completions.d.
#
# `ulf complete` prints the completions: src/cli/complete.h.

function __ulf_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l stays (string match -r -- '^--[^=]*=' $current)
    for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                for path in (__fish_complete_path (string replace -- "$stays" '' $current))
                    echo "$stays$path"
                end
            case ':dirs'
                for path in (__fish_complete_directories (string replace -- "$stays" '' $current))
                    echo "$stays$path"
                end
            case ':command *'
                set -l first (math (string replace ':command ' '' $line) + 2)
                complete -C (string join ' ' -- (string escape -- $words[$first..-1]) $current)
            case '*'
                echo $line
        end
    end
end

complete -c ulf -f -a '(__ulf_complete)'
