const LEAST_NODE = 24;

/** Returns the problem with an old Node and an advice. Returns undefined if Flotilla runs on this Node. */
export function oldNode(version: string): Readonly<{ text: string; todo: string }> | undefined {
  if (Number.parseInt(version, 10) >= LEAST_NODE) return undefined;
  return {
    text: `Node ${version} is older than ${LEAST_NODE}`,
    todo: `install Node ${LEAST_NODE} or newer, or use bin/flotilla of a checkout, which includes it`,
  };
}
