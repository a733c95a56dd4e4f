/**
 * Returns a function that computes its answer once for each object, and keeps it as long as the object is in
 * use. The answer must depend on the object alone, and neither may be changed: passes read the same objects
 * of a cluster in each of their rounds.
 */
export function perObject<O extends object, R>(compute: (object: O) => R): (object: O) => R {
  const answers = new WeakMap<O, Readonly<{ answer: R }>>();
  return (object) => {
    const known = answers.get(object);
    if (known !== undefined) return known.answer;
    const answer = compute(object);
    answers.set(object, { answer });
    return answer;
  };
}
