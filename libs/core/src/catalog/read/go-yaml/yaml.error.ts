/**
 * The reason why go-yaml refuses a text, and the line, from 0 on, at which it stopped. The line is undefined
 * if go-yaml names none.
 */
export class YamlError extends Error {
  constructor(
    readonly reason: string,
    readonly line?: number,
  ) {
    super(reason);
  }
}
