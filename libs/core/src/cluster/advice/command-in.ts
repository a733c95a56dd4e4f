import { contextOption, shellWord } from '../../kernel/text/shell-word.js';

/** Options with which users' commands reach a cluster. */
export type CommandAccess = Readonly<{
  /** The hub's name for the cluster. */
  cluster: string;
  /** Options of each command; absent: no kubeconfig that people have is known to lead there. */
  options?: Readonly<{ kubectl: string; flotilla: string }>;
}>;

type ContextPlace = Readonly<{
  cluster: string;
  /** The context, as kubectl knows it. */
  context: string;
  /** The file of the context. Absent if kubectl reads that file by default. */
  kubeconfig?: string;
  /** True if Flotilla's own commands need the file, too. */
  isGiven?: boolean;
  /** True if Flotilla's own commands need the context, since they do not take it by themselves. */
  isChosen?: boolean;
}>;

/** Returns the options that reach a cluster through a context that users have. */
export function contextAccess(place: ContextPlace): CommandAccess {
  const { cluster, context, kubeconfig, isGiven = false, isChosen = false } = place;
  const file = kubeconfig === undefined ? '' : `--kubeconfig ${shellWord(kubeconfig)} `;
  const kubectl = `${file}${contextOption(context)}`;
  // Among the contexts of this file alone the cluster may have another name.
  const own = isChosen ? contextOption(context) : `-C ${shellWord(cluster)}`;
  return { cluster, options: { kubectl, flotilla: isGiven ? kubectl : own } };
}

/** The context with which people reach a cluster. */
export type KnownLogin = Readonly<{
  context: string;
  /** The file of the context. Absent if kubectl reads that file by itself. */
  kubeconfig?: string;
}>;

/** Returns the options of commands that people copy. */
export const accessOfPeople = (cluster: string, login: KnownLogin | undefined): CommandAccess =>
  login === undefined ? { cluster } : contextAccess({ cluster, ...login, isGiven: login.kubeconfig !== undefined });

/** Placeholder of an unknown kubeconfig of people: a copied command cannot reach another cluster. */
const UNKNOWN = '--kubeconfig FILE';

/**
 * Returns the options of commands that a service prints about a cluster. Without a context that leads there
 * for people, they name a file: the same context in another file may be another cluster.
 */
export function optionsOfPeople(login: KnownLogin | undefined): string {
  if (login === undefined) return UNKNOWN;
  const file = login.kubeconfig === undefined ? [] : [`--kubeconfig ${shellWord(login.kubeconfig)}`];
  return [...file, contextOption(login.context)].join(' ');
}

/** A command with a placeholder for the hub's own kubeconfig is left as it is. */
const COMMAND =
  /(^|: )(kubectl |flotilla (?:approve|explain|retry|status|clusters check)\b(?! --kubeconfig FILE)[^:]*$)/g;

/**
 * Returns an advice with its command completed for this cluster. Only commands of kubectl, and Flotilla
 * commands that take a cluster, are completed.
 */
export function commandIn({ cluster, options }: CommandAccess, todo: string): string {
  return todo.replaceAll(COMMAND, (_all, before, command) => {
    const isOurs = command !== 'kubectl ';
    const { kubectl, flotilla } = options ?? { kubectl: UNKNOWN, flotilla: UNKNOWN };
    const completed = isOurs ? `${command} ${flotilla}` : `${command}${kubectl} `;
    if (options !== undefined) return `${before}${completed}`;
    return `${before === '' ? 'W' : ', w'}ith a login to cluster ${cluster} in FILE: ${completed}`;
  });
}
