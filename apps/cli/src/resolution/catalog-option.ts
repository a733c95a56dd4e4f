import { UsageError } from '../terminal/io.js';

/** `--catalog [NS/]NAME[:PRIORITY]=REF`, taken apart. */
export type CatalogOption = Readonly<{ namespace?: string; name: string; priority?: number; reference: string }>;

const FORM =
  /^(?:(?<namespace>[a-z0-9][a-z0-9.-]*)\/)?(?<name>[a-z0-9][a-z0-9.-]*)(?::(?<priority>-?\d{1,9}))?=(?<reference>.+)$/;

/** Reads one value of the option; the error shows the form. */
export function parseCatalogOption(text: string): CatalogOption {
  const { namespace, name, priority, reference } = FORM.exec(text)?.groups ?? {};
  if (name === undefined || reference === undefined) {
    throw new UsageError(`--catalog "${text}" ${whatIsWrong(text)}`);
  }
  return {
    name,
    reference,
    ...(namespace === undefined ? {} : { namespace }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
  };
}

const SHAPE = /^(?:(?<namespace>[^/=]*)\/)?(?<name>[^/=:]*)(?::(?<priority>[^=]*))?=(?<reference>.*)$/;
const OBJECT_NAME = /^[a-z0-9][a-z0-9.-]*$/;

/** Returns the fault of a value that cannot be read, and the correct form. */
function whatIsWrong(text: string): string {
  const { namespace, name = '', priority, reference } = SHAPE.exec(text)?.groups ?? {};
  if (reference === undefined || name === '') {
    return 'is not of the form [NAMESPACE/]NAME[:PRIORITY]=REFERENCE, for example olm/community=./catalog';
  }
  if (reference === '') return 'names no catalog behind "=": write a directory, a file or an image there';
  for (const [what, value] of [
    ['namespace', namespace],
    ['name', name],
  ] as const) {
    if (value === undefined || OBJECT_NAME.test(value)) continue;
    const lower = value.toLowerCase();
    const instead = OBJECT_NAME.test(lower) ? `, for example ${lower}` : '';
    return `has the ${what} "${value}", which no CatalogSource can have: lower case letters, digits, "-" and "."${instead}`;
  }
  return `has the priority "${priority}": write a whole number of at most nine digits`;
}
