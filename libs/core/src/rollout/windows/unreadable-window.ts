import { z } from 'zod';
import { ClusterSelector, FLEET_API, Name, Selector } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetWindow } from '../../kernel/api/fleet/fleet-window.js';
import { specOf, type UnreadableObject } from '../../kernel/api/fleet/unreadable-object.js';
import { type WindowRules, windowRules } from './window-rules.js';

const Groups = z.array(Name);
const Kinds = z.array(z.enum(['FleetOperator', 'FleetCatalog']));

/** Placeholder for the times of a window that has some. They are not used. */
const ANY_TIMES = { cron: '* * * * *', duration: '1h', timeZone: 'UTC' };

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** The part of a selector that can be read; an absent part selects all. */
function readableClusters(value: unknown): ClusterSelector {
  const { selector, expression } = fields(value);
  const text = ClusterSelector.shape.expression.safeParse(expression).data;
  return { selector: Selector.safeParse(selector).data, ...(text === undefined ? {} : { expression: text }) };
}

/**
 * Reads a window that does not follow its schema. It holds everything that it may concern: each unreadable
 * part concerns everything, and any type but Allow is a Deny.
 */
export function unreadableWindow(unreadable: UnreadableObject): WindowRules {
  const spec = specOf(unreadable);
  const { kinds, selector } = fields(spec['subjects']);
  const hasTimes = spec['schedule'] !== undefined || spec['period'] !== undefined;
  const window: FleetWindow = {
    apiVersion: FLEET_API,
    kind: 'FleetWindow',
    metadata: { name: unreadable.object.metadata.name ?? '' },
    spec: {
      type: spec['type'] === 'Allow' ? 'Allow' : 'Deny',
      ...(hasTimes ? { schedule: ANY_TIMES } : {}),
      clusters: readableClusters(spec['clusters']),
      ...(spec['subjects'] === undefined
        ? {}
        : { subjects: { kinds: Kinds.safeParse(kinds).data, selector: Selector.safeParse(selector).data } }),
      needs: '0s',
      breakGlassGroups: Groups.safeParse(spec['breakGlassGroups']).data ?? [],
    },
  };
  return windowRules(window, unreadable.problem);
}
