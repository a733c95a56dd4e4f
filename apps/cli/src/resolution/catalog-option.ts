import { UsageError } from '../io.js';

/** `--catalog [NS/]NAME[:PRIORITY]=REF`, taken apart. */
export type CatalogOption = Readonly<{ namespace?: string; name: string; priority?: number; reference: string }>;

const FORM =
  /^(?:(?<namespace>[a-z0-9][a-z0-9.-]*)\/)?(?<name>[a-z0-9][a-z0-9.-]*)(?::(?<priority>-?\d{1,9}))?=(?<reference>.+)$/;

/** Reads one value of the option; the error shows the form. */
export function parseCatalogOption(text: string): CatalogOption {
  const { namespace, name, priority, reference } = FORM.exec(text)?.groups ?? {};
  if (name === undefined || reference === undefined) {
    throw new UsageError(
      `--catalog "${text}" is not of the form [NAMESPACE/]NAME[:PRIORITY]=REFERENCE, for example olm/community=./catalog`,
    );
  }
  return {
    name,
    reference,
    ...(namespace === undefined ? {} : { namespace }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
  };
}
