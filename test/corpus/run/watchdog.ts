/** Something did not end in time. */
export class Hung extends Error {}

/** Returns the value of the work, or {@link Hung} after that many milliseconds without one. */
export async function watched<T>(what: string, ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Hung(`${what} has not ended after ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
