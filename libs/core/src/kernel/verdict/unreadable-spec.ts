/** The key of the problem in a spec that stands for an unreadable one. No user can write it. */
const PROBLEM = Symbol('problem of the spec');

/** Returns a spec that stands for an unreadable one, and stores the problem. */
export const unreadableSpec = <S extends object>(empty: S, problem: string): S => ({ ...empty, [PROBLEM]: problem });

/** Names the field that could not be read; undefined if the spec was readable. */
export function specProblem({ spec }: Readonly<{ spec: unknown }>): string | undefined {
  const problem: unknown = Reflect.get(Object(spec), PROBLEM);
  return typeof problem === 'string' ? problem : undefined;
}
