# Completion of gondwana in bash: asks the command itself.
_gondwana() {
  local cur prev words cword
  _init_completion -n : || return
  local -a lines
  mapfile -t lines < <("${words[0]}" complete "${words[@]:0:cword+1}" 2>/dev/null)
  ((${#lines[@]})) || return 0
  local from_shell=${lines[-1]}
  unset 'lines[-1]'
  COMPREPLY=("${lines[@]%%$'\t'*}")
  case $from_shell in
    @files) _filedir ;;
    @folders) _filedir -d ;;
    @programs)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -c -- "$cur"; compgen -f -- "$cur")
      ;;
    @command\ *) _command_offset "${from_shell#@command }" ;;
  esac
} && complete -F _gondwana gondwana
