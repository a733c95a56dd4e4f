import { cutText } from '#core/kernel/text/cut-text';

export const EXEC_GROUP = 'client.authentication.k8s.io';
export const DEFAULT_VERSION = `${EXEC_GROUP}/v1`;
export const VERSIONS: readonly string[] = [DEFAULT_VERSION, `${EXEC_GROUP}/v1beta1`];
const MODES: readonly string[] = ['Never', 'IfAvailable', 'Always'];

type ExecFields = Readonly<{ apiVersion?: string | null | undefined; interactiveMode?: string | null | undefined }>;

/** Writes a text of others as a short one in quotes. */
export const short = (text: string): string => JSON.stringify(cutText(text, 80));

/** Returns the reason not to run a plugin as it is configured. Undefined if there is none. */
export function unusableExec({ apiVersion, interactiveMode }: ExecFields): string | undefined {
  if (apiVersion && !VERSIONS.includes(apiVersion))
    return `exec.apiVersion ${short(apiVersion)} is not known: write ${DEFAULT_VERSION}`;
  if (interactiveMode && !MODES.includes(interactiveMode))
    return `exec.interactiveMode ${short(interactiveMode)} is not known: write one of ${MODES.join(', ')}`;
  return undefined;
}
