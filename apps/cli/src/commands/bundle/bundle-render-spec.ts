import { parseDocument } from 'yaml';
import { z } from 'zod';
import { readOperand } from '../../inputs/read-operand.js';
import { type Io, UsageError } from '../../terminal/io.js';

const Spec = z.looseObject({
  namespace: z.string().min(1),
  config: z.looseObject({ configType: z.string().optional(), inline: z.unknown() }).optional(),
});
const Extension = z.looseObject({ kind: z.literal('ClusterExtension'), spec: Spec });

/**
 * The fields of a ClusterExtension that rendering needs. `config` is undefined if there is none, `{}` if it
 * is empty.
 */
export type ExtensionSpec = Readonly<{ namespace: string; config: unknown }>;

/** The spec in a file that holds it alone, or a whole ClusterExtension. Throws {@link UsageError}. */
export async function readSpec(path: string, io: Io): Promise<ExtensionSpec> {
  const text = await readOperand(path, io);
  const value = documentOf(path, text);
  const isObject = z.looseObject({ kind: z.string() }).safeParse(value).success;
  const parsed = isObject ? Extension.transform(({ spec }) => spec).safeParse(value) : Spec.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') || 'the document';
    throw new UsageError(`${path}: not a spec of a ClusterExtension: ${where}: ${issue?.message ?? 'unreadable'}`);
  }
  const { namespace, config } = parsed.data;
  return { namespace, config: config && (config.inline === undefined ? {} : config.inline) };
}

function documentOf(path: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [broken] = document.errors;
  if (broken !== undefined) throw new UsageError(`${path}: not YAML: ${broken.message.split('\n')[0]}`);
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
