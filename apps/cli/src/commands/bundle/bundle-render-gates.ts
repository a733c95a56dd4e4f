import type { RenderFeatureGates } from '#core/v1/bundle-render/bundle/render-request';
import { UsageError } from '../../terminal/io.js';

/** The feature gates that change the rendered objects. */
export const RENDER_FEATURE_GATES = ['SingleOwnNamespaceInstallSupport', 'DeploymentConfig'] as const;

const isGate = (name: string): name is (typeof RENDER_FEATURE_GATES)[number] =>
  RENDER_FEATURE_GATES.some((gate) => gate === name);

/** `A,B` or, as OLM v1 takes them, `A=true,B=false`. Throws {@link UsageError} on a name that is none. */
export function featureGatesOf(text: string): RenderFeatureGates {
  const gates: { [gate in (typeof RENDER_FEATURE_GATES)[number]]?: boolean } = {};
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [name = '', value = 'true'] = part.trim().split('=');
    if (!isGate(name) || (value !== 'true' && value !== 'false')) {
      throw new UsageError(
        `--feature-gates: "${part}" is not one of ${RENDER_FEATURE_GATES.join(', ')}, alone or with =true or =false`,
      );
    }
    gates[name] = value === 'true';
  }
  return gates;
}
