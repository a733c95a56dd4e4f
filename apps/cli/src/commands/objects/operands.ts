import { UsageError } from '../../terminal/io.js';
import { kindsOf } from './live-kinds.js';

/**
 * Words of one operand: a kind, or several with commas between, and the names that are
 * asked for; none means all. Names that `-o name` printed say the cluster and the namespace, too.
 */
export type Operand = Readonly<{
  kinds: readonly string[];
  names: readonly string[];
  cluster?: string;
  namespace?: string;
}>;

/**
 * Reads the operands of kubectl: `KIND[,KIND…] [NAME…]` or `KIND/NAME…`. Also reads the output of `-o name`:
 * `CLUSTER/[NAMESPACE/]KIND/NAME…`.
 * @throws UsageError if the two forms are mixed, or a part is empty
 */
export function operandsOf(words: readonly string[]): readonly Operand[] {
  const [first = '', ...names] = words;
  if (!words.some((word) => word.includes('/'))) return [{ kinds: kindsIn(first), names }];
  return words.map((word) => {
    const [name = '', kind = '', ...place] = word.split('/').toReversed();
    if (name === '' || kind === '' || place.includes('')) {
      throw new UsageError(`cannot read "${word}": write either KIND NAME… or KIND/NAME…, and not both`);
    }
    return { kinds: kindsIn(kind), names: [name], ...(place.length === 0 ? {} : placeOf(kind, place, word)) };
  });
}

/** Names of clusters may have slashes, as contexts of EKS do: the namespace is the part before the kind. */
function placeOf(kind: string, place: readonly string[], word: string): Pick<Operand, 'cluster' | 'namespace'> {
  const isNamespaced = kindsOf(kind).every(({ namespaced }) => namespaced);
  const [namespace = '', ...cluster] = isNamespaced ? place : ['', ...place];
  if (cluster.length === 0) {
    throw new UsageError(`cannot read "${word}": write KIND/NAME, or CLUSTER/NAMESPACE/KIND/NAME as -o name does`);
  }
  return { cluster: cluster.toReversed().join('/'), ...(isNamespaced ? { namespace } : {}) };
}

/** Options that name the place of objects. */
type Place = Readonly<{ cluster?: readonly string[]; namespace?: string }>;

/**
 * Returns the place that options and names give together: the clusters of the names, if all names have one.
 * @throws UsageError if an option leaves out the place of a name
 */
export function placeWith<Options extends Place>(options: Options, operands: readonly Operand[]): Options {
  for (const { cluster, namespace = options.namespace } of operands) {
    if (cluster !== undefined && options.cluster?.includes(cluster) === false) {
      throw new UsageError(`-C excludes cluster "${cluster}" of a name; remove -C`);
    }
    if (namespace !== (options.namespace ?? namespace)) {
      throw new UsageError(`-n excludes namespace "${namespace}" of a name; remove -n`);
    }
  }
  const clusters = operands.flatMap(({ cluster }) => cluster ?? []);
  if (options.cluster !== undefined || clusters.length < operands.length) return options;
  return { ...options, cluster: [...new Set(clusters)] };
}

/**
 * Reads operands as {@link operandsOf} does, for verbs about named objects.
 * @throws UsageError also if no name is given
 */
export function namedOperands(words: readonly string[], verb: string): readonly Operand[] {
  const operands = operandsOf(words);
  if (operands.every(({ names }) => names.length > 0)) return operands;
  throw new UsageError(`specify an object: flotilla ${verb} ${words[0] ?? 'KIND'} NAME`);
}

function kindsIn(text: string): readonly string[] {
  const kinds = text.split(',');
  if (kinds.every((kind) => kind !== '')) return kinds;
  throw new UsageError(`cannot read "${text}": name one kind, or several with commas between`);
}
