import { UsageError } from '../io.js';

/**
 * Words of one operand: a kind, or several with commas between, and the names that are
 * asked for; none means all.
 */
export type Operand = Readonly<{ kinds: readonly string[]; names: readonly string[] }>;

/**
 * The operands of kubectl: `KIND[,KIND…] [NAME…]` or `KIND/NAME…`.
 * @throws UsageError where the two forms are mixed, or a part is empty
 */
export function operandsOf(words: readonly string[]): readonly Operand[] {
  const [first = '', ...names] = words;
  if (!words.some((word) => word.includes('/'))) return [{ kinds: kindsIn(first), names }];
  return words.map((word) => {
    const [kind = '', name = '', ...more] = word.split('/');
    if (kind !== '' && name !== '' && more.length === 0) return { kinds: kindsIn(kind), names: [name] };
    throw new UsageError(`cannot read "${word}": write either KIND NAME… or KIND/NAME…, and not both`);
  });
}

/**
 * As {@link operandsOf}, for verbs that are about named objects. @throws UsageError
 * also where no name is given
 */
export function namedOperands(words: readonly string[], verb: string): readonly Operand[] {
  const operands = operandsOf(words);
  if (operands.every(({ names }) => names.length > 0)) return operands;
  throw new UsageError(`which object? Name it: flotilla ${verb} ${words[0] ?? 'KIND'} NAME`);
}

function kindsIn(text: string): readonly string[] {
  const kinds = text.split(',');
  if (kinds.every((kind) => kind !== '')) return kinds;
  throw new UsageError(`cannot read "${text}": name one kind, or several with commas between`);
}
