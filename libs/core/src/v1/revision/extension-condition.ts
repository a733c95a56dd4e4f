import { DEPRECATIONS } from '../../kernel/conditions/deprecation-types.js';

/** Every condition of a ClusterExtension. */
export const EXTENSION_CONDITIONS = ['Installed', 'Progressing', 'Available', ...DEPRECATIONS] as const;
/** Every condition of a ClusterObjectSet. */
export const REVISION_CONDITIONS = ['Progressing', 'Available', 'Succeeded'] as const;

type ExtensionConditionType = (typeof EXTENSION_CONDITIONS | typeof REVISION_CONDITIONS)[number];

/** A condition of a ClusterExtension or a revision; the writer adds generation and times. */
export type ExtensionCondition = Readonly<{
  type: ExtensionConditionType;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}>;

/** Bytes a message may have in Kubernetes. */
const MAX_MESSAGE = 32_768;
const CUT = '\n\n... [message truncated]';

/** Returns a condition with its message cut to Kubernetes' limit (spec: v1-extension.md, "status"). */
export function extensionCondition(
  type: ExtensionConditionType,
  status: ExtensionCondition['status'],
  reason: string,
  message: string,
): ExtensionCondition {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_MESSAGE) return { type, status, reason, message };
  // As a stream the decoder waits for the rest of a character that is cut in two, and so leaves it out.
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_MESSAGE - CUT.length), { stream: true });
  return { type, status, reason, message: `${kept}${CUT}` };
}
