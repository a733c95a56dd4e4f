export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The script that teaches a shell to complete. The scripts hold no verbs: they ask `flotilla __complete` with
 * the words typed so far, so that they stay right when the command changes. In the last line of its answer,
 * `:0` stands for files, `:16` for directories and `:4` for neither.
 */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];

const BASH = `# completion of flotilla; for this shell: source <(flotilla completion bash)
_flotilla() {
  local answer line
  answer=$("\${COMP_WORDS[0]/#\\~/$HOME}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :0) compopt -o default 2>/dev/null ;;
      :16) compopt -o dirnames 2>/dev/null ;;
      :*) ;;
      *) line="\${line%%$'\\t'*}"; COMPREPLY+=("$line") ;;
    esac
  done <<< "$answer"
}
complete -F _flotilla flotilla
complete -F _flotilla kubectl-flotilla
`;

const ZSH = `#compdef flotilla kubectl-flotilla
# completion of flotilla; for this shell, after compinit: source <(flotilla completion zsh)
_flotilla() {
  local -a answer candidates
  local line name
  answer=("\${(@f)$(\${(Q)~words[1]} __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${(@)answer[1,-2]}"; do
    name="\${line%%$'\\t'*}"
    if [[ "$line" == *$'\\t'* ]]; then
      candidates+=("\${name//:/\\\\:}:\${line#*$'\\t'}")
    else
      candidates+=("\${name//:/\\\\:}")
    fi
  done
  case "\${answer[-1]}" in
    :0) _files ;;
    :16) _files -/ ;;
    *) _describe flotilla candidates ;;
  esac
}
if [ "\${funcstack[1]}" = _flotilla ]; then
  _flotilla "$@"
else
  compdef _flotilla flotilla kubectl-flotilla
fi
`;

const FISH = `# completion of flotilla; for this shell: flotilla completion fish | source
function __flotilla_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l answer ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
  if test (count $answer) -gt 1
    printf '%s\\n' $answer[1..-2]
  end
  switch "$answer[-1]"
    case ':0'
      __fish_complete_path "$current"
    case ':16'
      __fish_complete_directories "$current"
  end
end
complete -c flotilla -f -a '(__flotilla_complete)'
complete -c kubectl-flotilla -f -a '(__flotilla_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
