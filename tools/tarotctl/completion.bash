# Completion of tarotctl for bash: source this file.

_tarotctl_rules="fft club webguide booklet booklet_customs booklet_practice1 booklet_practice2"
_tarotctl_rules+=" booklet_practice3 preneur shogix shogix_free5 pagat fft_duplicate fft_teams fft_dead5"

_tarotctl() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local command="${COMP_WORDS[1]}" options="--gateway --color --help"
  case "$previous" in
    --color) COMPREPLY=($(compgen -W "always never auto" -- "$word")); return ;;
    --queue) COMPREPLY=($(compgen -W "casual4 ranked4" -- "$word")); return ;;
    --around | --player) COMPREPLY=($(compgen -W "me" -- "$word")); return ;;
    --players) COMPREPLY=($(compgen -W "3 4 5" -- "$word")); return ;;
    --bots) COMPREPLY=($(compgen -W "novice club sociable strong expert" -- "$word")); return ;;
    --rules) COMPREPLY=($(compgen -W "$_tarotctl_rules" -- "$word")); return ;;
    --rules-file | --script) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W "text json tdn bin" -- "$word")); return ;;
  esac
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "play open join room rooms invite bot remove start leave rule-sets nonce say mute takeback break answer claim watch ladder player search country matches scores record verify analyze tables queues friends report register login recover sign-out trace admin help" -- "$word"))
    return
  fi
  case "$command" in
    play) options+=" --name --queue --party --resume --auto --script" ;;
    open)
      options+=" --rules --rules-file --players --deals --move-limit --bank --take-back --breaks --open --private --bots"
      options+=" --start --name --auto --script --json"
      ;;
    join) options+=" --name --auto --script --json" ;;
    room) options+=" --auto --script --json" ;;
    rooms) options+=" --json --page" ;;
    bot) options+=" --json all novice club sociable strong expert none" ;;
    friends) options+=" --json request accept remove block unblock" ;;
    report) options+=" --json helps-another-seat loses-on-purpose delays name" ;;
    invite | remove | start | leave) options+=" --json" ;;
    say) options+=" --json hello well-played sorry thanks one-moment good-game" ;;
    mute) options+=" --json --off" ;;
    takeback | claim) options+=" --json" ;;
    break) options+=" --json --end" ;;
    answer) options+=" --json agree refuse" ;;
    rule-sets) options+=" --json $_tarotctl_rules" ;;
    watch | player | queues | scores) options+=" --json" ;;
    record) options+=" --json --format" ;;
    analyze) options+=" --lang --level --seed --nodes --open-nodes --all --json" ;;
    tables) options+=" --json --all" ;;
    trace) COMPREPLY=($(compgen -f -- "$word")); return ;;
    register | login) options+=" --passphrase-file" ;;
    recover) options+=" --code-file --passphrase-file" ;;
    sign-out) options+=" --json --everywhere" ;;
    admin)
      options+=" --why --admin --key --count --message --since --until --for --all --json replicas drain undrain"
      options+=" close-queue open-queue apply-queues population limits ticket log void-deal end-match void-match void-player"
      options+=" recompute ban unban bans export delete reports flags add-flags judge calls"
      ;;
    matches) options+=" --json --player --count --page" ;;
    country) options+=" --json FR BE CH none" ;;
    search) options+=" --json --players --page" ;;
    ladder) options+=" --json --around --friends --country --count --players" ;;
  esac
  if [[ "$command" == player && "$word" != -* ]]; then
    COMPREPLY=($(compgen -W "me" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  fi
}
complete -F _tarotctl tarotctl
