/**
 * The reason why go-yaml refuses a text, and the line from 0 on where it stopped; undefined if it names none.
 */
export class YamlError extends Error {
  constructor(
    readonly reason: string,
    readonly line?: number,
  ) {
    super(reason);
  }
}
