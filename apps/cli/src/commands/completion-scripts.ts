import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A verb by its words below `flotilla`, with what may come after them. */
type Node = Readonly<{ path: readonly string[]; words: readonly string[] }>;

/** The script that teaches a shell the verbs and options of a program. */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesOf(program, []);
  if (shell === 'fish') return fishScript(program, []);
  const bash = bashScript(nodes);
  return shell === 'bash' ? bash : `#compdef flotilla\nautoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function nodesOf(command: Command, path: readonly string[]): Node[] {
  const options = command.options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag != null);
  const subcommands = command.commands.map((one) => one.name());
  const own = { path, words: [...subcommands, ...kindWords(path), ...options, '--help'] };
  return [own, ...command.commands.flatMap((one) => nodesOf(one, [...path, one.name()]))];
}

/** What the first operand of a verb may be, where that is one of few words. */
function kindWords(path: readonly string[]): readonly string[] {
  switch (path.join(' ')) {
    case 'get':
      return ['subscriptions', 'installplans', 'csvs', 'extensions', 'catalogs'];
    case 'explain':
      return ['subscription', 'installplan', 'csv', 'catalogsource', 'clustercatalog', 'extension'];
    case 'approve':
      return ['installplan'];
    case 'completion':
      return SHELLS;
    default:
      return [];
  }
}

/** Bash: the longest path of verbs that the words typed so far begin with decides; files where a word is none of ours. */
function bashScript(nodes: readonly Node[]): string {
  const cases = nodes.map(({ path, words }) => `    "${path.join(' ')}") words="${words.join(' ')}" ;;`);
  const paths = nodes.map(({ path }) => `"${path.join(' ')}"`).join('|');
  return `# completion of flotilla; for this shell: source <(flotilla completion bash)
_flotilla() {
  local path="" candidate word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    candidate="\${path:+$path }$word"
    case "$candidate" in
      ${paths}) path="$candidate" ;;
      *) break ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _flotilla flotilla
complete -o default -F _flotilla kubectl-flotilla
`;
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

function fishScript(command: Command, path: readonly string[]): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  const names = command.commands.map((one) => one.name()).join(' ');
  const here = path.length === 0 ? '__fish_use_subcommand' : seen;
  const below =
    names === '' ? here : `${here}${path.length === 0 ? '' : `; and not __fish_seen_subcommand_from ${names}`}`;
  const line = (rest: string) => `complete -c flotilla -n ${quoted(below)} ${rest}\n`;
  const verbs = command.commands.map((one) => line(`-f -a ${one.name()} -d ${quoted(one.description())}`));
  const kinds = kindWords(path).map((word) => line(`-f -a ${word}`));
  const options = command.options.map(({ long, description }) =>
    long == null ? '' : line(`-l ${long.slice(2)} -d ${quoted(description)}`),
  );
  return [
    ...verbs,
    ...kinds,
    ...options,
    ...command.commands.map((one) => fishScript(one, [...path, one.name()])),
  ].join('');
}
