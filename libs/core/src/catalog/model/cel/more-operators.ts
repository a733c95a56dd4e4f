import type { Environment } from '@marcbachmann/cel-js';

/**
 * Adds comparisons of cel-go that the evaluator does not have: bytes have an order, times and durations may
 * be compared with null.
 */
export function withMoreOperators(environment: Environment): Environment {
  for (const [operator, isMet] of ORDER) {
    environment.registerOperator(`bytes ${operator} bytes`, (a: Uint8Array, b: Uint8Array) => isMet(byBytes(a, b)));
    // OLM's compiler allows null in comparisons; its evaluator rejects it.
    environment.registerOperator(`null ${operator} null`, () => {
      throw new Error(`no such overload: null ${operator} null`);
    });
  }
  for (const type of ['google.protobuf.Duration', 'google.protobuf.Timestamp']) {
    environment.registerOperator(`${type} == null`, () => false);
  }
  return environment;
}

const ORDER: readonly (readonly [string, (order: number) => boolean])[] = [
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
];

function byBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}
