# Completion of tarotctl for bash: source this file.

# The names of the rule sets, as the program itself knows them.
_tarotctl_rules() {
  "${COMP_WORDS[0]}" rulesets --color never 2>/dev/null | sed -n '2,$s/ .*//p'
}

_tarotctl() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local command="${COMP_WORDS[1]}" options="--gateway --color --help"
  case "$previous" in
    --color) COMPREPLY=($(compgen -W "always never auto" -- "$word")); return ;;
    --queue) COMPREPLY=($(compgen -W "casual4 ranked4" -- "$word")); return ;;
    --around) COMPREPLY=($(compgen -W "me" -- "$word")); return ;;
    --players) COMPREPLY=($(compgen -W "3 4 5" -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W "text json tdn bin" -- "$word")); return ;;
    --rules) COMPREPLY=($(compgen -W "all $(_tarotctl_rules)" -- "$word")); return ;;
    --script | --file | --out) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "play nonce watch ladder player record verify analyze audit tables queues rulesets vectors engine arena help" -- "$word"))
    return
  fi
  case "$command" in
    play) options+=" --name --queue --resume --auto --script" ;;
    watch | player | queues) options+=" --json" ;;
    record) options+=" --json --format --file" ;;
    verify) options+=" --file" ;;
    analyze) options+=" --file --level --seed --nodes --open-nodes --all --json" ;;
    tables) options+=" --json --all" ;;
    ladder) options+=" --json --around --count --players" ;;
    audit) options+=" --dsn --jobs" ;;
    arena) options+=" --rules --players --deals --seed --contract --nodes --timeout --jobs --out --json" ;;
    engine) options+=" --level" ;;
    rulesets) options+=" --json" ;;
    vectors) options+=" --address --answer --count --rules --players --seed" ;;
  esac
  if [[ "$command" == rulesets && "$word" != -* ]]; then
    COMPREPLY=($(compgen -W "$(_tarotctl_rules)" -- "$word"))
  elif [[ ("$command" == vectors || "$command" == audit) && "$word" != -* ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  elif [[ "$command" == player && "$word" != -* ]]; then
    COMPREPLY=($(compgen -W "me" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  fi
}
complete -F _tarotctl tarotctl
