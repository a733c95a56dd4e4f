import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';

/**
 * Returns the output of `kubectl kustomize` for folders of `k8s` with components, as in a user's own
 * kustomization.
 */
export function kustomizedWith(resources: readonly string[], components: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-kustomize-'));
  const at = (path: string) => relative(realpathSync(folder), join(PROJECT_ROOT, path));
  const kind = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', namespace: 'flotilla' };
  const names = { resources: resources.map(at), components: components.map(at) };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify({ ...kind, ...names }));
  try {
    return execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}
