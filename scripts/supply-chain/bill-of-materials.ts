import { createHash } from 'node:crypto';
import { z } from 'zod';

const Bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(z.looseObject({})),
});

/**
 * The CycloneDX document of `npm sbom`, the same bytes for the same lock file: without the time, the name of
 * the folder and a random serial number.
 */
export function stableBill(npmOutput: string, lockFile: string, project: Readonly<{ name: string }>): string {
  const { metadata, ...bill } = Bill.parse(JSON.parse(npmOutput));
  const { timestamp: _time, ...facts } = metadata;
  const hash = createHash('sha256').update(lockFile).digest('hex');
  const stable = {
    ...bill,
    serialNumber: `urn:uuid:${hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')}`,
    metadata: { ...facts, component: { ...metadata.component, type: 'application', name: project.name } },
  };
  return `${JSON.stringify(stable, null, 2)}\n`;
}
