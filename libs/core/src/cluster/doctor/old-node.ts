const LEAST_NODE = 24;

/** Returns what is wrong with an old Node, and what to do. Undefined for a Node that Flotilla runs on. */
export function oldNode(version: string): Readonly<{ text: string; todo: string }> | undefined {
  if (Number.parseInt(version, 10) >= LEAST_NODE) return undefined;
  return {
    text: `Node ${version} is older than ${LEAST_NODE}`,
    todo: `install Node ${LEAST_NODE} or newer, or use bin/flotilla of a checkout, which brings one`,
  };
}
