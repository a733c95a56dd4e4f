/**
 * What is wrong with a part of an installed operator, and so where the CSV goes from here (spec: csv-lifecycle.md §5):
 * `unrecoverable` fails it, `drifted` and `webhookFailed` install again, `waiting` and `notServed` wait. The message of a
 * `notServed` part is said as it stands, others with what was being done.
 */
export type ComponentProblem = Readonly<{
  kind: 'unrecoverable' | 'drifted' | 'webhookFailed' | 'waiting' | 'notServed';
  message: string;
}>;
