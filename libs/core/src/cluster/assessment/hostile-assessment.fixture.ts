import type { AssessedOperator, ClusterAssessment } from './assessment.js';
import { assessmentPage } from './assessment-page.js';

/** Texts that would leave a text, an attribute, a style, a comment or the page, or look like another. */
export const HOSTILE_TEXTS = [
  '<script>alert(1)</script><img src=x onerror=alert(2)>',
  '"><svg onload=alert(3)>',
  `' onmouseover='alert(4)' x='`,
  '</title></style></textarea><iframe srcdoc="<script>alert(5)</script>">',
  '<!--><script>alert(6)</script>-->',
  ']]><a href="javascript:alert(7)">x</a>',
  '<base href="https://elsewhere.example.com/"><link rel=stylesheet href="//elsewhere.example.com/x.css">',
  '<meta http-equiv="refresh" content="0;url=https://elsewhere.example.com/">',
  '{{constructor.constructor("alert(8)")()}} #{alert(9)} <%= 7 %>',
  '\u0000<scr\u0000ipt>alert(10)</script>\ud800',
  'lamp\u202Egpj.exe\u202C\u200B\u2066',
  'x'.repeat(5_000),
] as const;

/** Returns a page with `text` in every place that a cluster, its users or its catalogs can write. */
export function hostileAssessment(text: string): string {
  const operator = (more: Partial<AssessedOperator> = {}): AssessedOperator => ({
    ...{ api: 'classic', namespace: text, name: text, package: text, channel: text, catalog: text },
    ...{ approval: 'Automatic', installed: text, version: text, newest: text, hops: [text, text], noWay: '' },
    ...{ deprecations: [text], move: [{ kind: 'refusal', text, todo: text }] },
    ...more,
  });
  const cluster: ClusterAssessment = {
    ...{ cluster: text, version: text, olm: [text] },
    memory: { pods: 4, bytes: 512 * 1024 * 1024, measured: true, catalogPods: 2 },
    operators: [operator(), operator({ api: 'v1', noWay: text }), operator({ installed: '', move: null })],
    findings: [
      { kind: text, namespace: text, name: text, code: text, standing: 'failed', because: [text], todo: [] } as never,
    ],
    conflicts: [{ namespace: text, text }],
    handover: [{ kind: 'refusal', text }],
    unread: [text],
  };
  return assessmentPage({
    clusters: [cluster],
    away: [{ cluster: text, because: text }],
    at: '2026-01-01T10:00:00.000Z',
    version: text,
  });
}
