# Completion of gondwana in fish: asks the command itself.
function __gondwana_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l lines ($words[1] complete $words "$word" 2>/dev/null)
    set -l from_shell $lines[-1]
    string split --no-empty \n -- $lines[1..-2]
    switch $from_shell
        case @files
            __fish_complete_path "$word"
        case @folders
            __fish_complete_directories "$word"
        case @programs
            __fish_complete_path "$word"
            complete -C "$word"
        case '@command *'
            set -l place (string split ' ' -- $from_shell)[2]
            complete -C (string join ' ' -- (string escape -- $words[(math $place + 1)..-1]) "$word")
    end
end
complete -c gondwana -f -a '(__gondwana_complete)'
