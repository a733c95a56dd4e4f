const LEAST_NODE = 24;

/** What an old Node lacks, and what to do; undefined for a version of Node that programs of Flotilla run on. */
export function oldNode(version: string): Readonly<{ text: string; todo: string }> | undefined {
  if (Number.parseInt(version, 10) >= LEAST_NODE) return undefined;
  return {
    text: `Node ${version} is older than ${LEAST_NODE}`,
    todo: `install Node ${LEAST_NODE} or newer, or use bin/flotilla of a checkout, which brings one`,
  };
}
