# Completion of tarotctl for bash: source this file.

_tarotctl() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local command="${COMP_WORDS[1]}" options="--gateway --color --help"
  case "$previous" in
    --color) COMPREPLY=($(compgen -W "always never auto" -- "$word")); return ;;
    --queue) COMPREPLY=($(compgen -W "casual4 ranked4" -- "$word")); return ;;
    --around | --player) COMPREPLY=($(compgen -W "me" -- "$word")); return ;;
    --players) COMPREPLY=($(compgen -W "3 4 5" -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W "text json tdn bin" -- "$word")); return ;;
    --script) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "play nonce watch ladder player matches record verify analyze tables queues sign-out help" -- "$word"))
    return
  fi
  case "$command" in
    play) options+=" --name --queue --resume --auto --script" ;;
    watch | player | queues) options+=" --json" ;;
    record) options+=" --json --format" ;;
    analyze) options+=" --level --seed --nodes --open-nodes --all --json" ;;
    tables) options+=" --json --all" ;;
    sign-out) options+=" --json --everywhere" ;;
    matches) options+=" --json --player --count --page" ;;
    ladder) options+=" --json --around --count --players" ;;
  esac
  if [[ "$command" == player && "$word" != -* ]]; then
    COMPREPLY=($(compgen -W "me" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  fi
}
complete -F _tarotctl tarotctl
