import type { Explanation, ReasonNode } from '../../../src/api/questions.schema.js';
import type { Question } from '../../live/question.js';
import { counted } from '../../live/times.js';
import { Advice } from '../../parts/because.js';
import { Section } from '../../parts/page.js';
import { Bones, Empty, Trouble } from '../../parts/states.js';
import { BOX_WIDTH, type ConflictBox, layOutConflict } from './conflict-layout.js';

const COLUMNS: Readonly<Record<ReasonNode['role'], string>> = {
  desired: 'Desired state',
  candidate: 'Candidate',
  requirement: 'Requirement',
  obstacle: 'Obstacle',
  note: 'Note',
};

/** The smallest set of demands that cannot all be met: as a picture, and as the same tree in text. */
export function Conflict({ of }: { of: Question<Explanation> }) {
  const { data, refusal, ask } = of;
  if (refusal) return <Trouble refusal={refusal} since={undefined} renew={ask} />;
  if (data === undefined) return <Bones lines={8} />;
  if (data.conflict === undefined) return <Empty title="No conflict blocks this operator." />;
  return (
    <>
      <Advice of={data.advice} />
      <Section title="As a picture">
        <Picture of={data.conflict} />
      </Section>
      <Section title="In words">
        <ul class="reasons">
          <Reason of={data.conflict} />
        </ul>
      </Section>
    </>
  );
}

/** The topmost box of its role in a column has the title. */
const isFirstOfRole = ({ x, y, node }: ConflictBox, boxes: readonly ConflictBox[]): boolean =>
  !boxes.some((one) => one.x === x && one.y < y && one.node.role === node.role);

function Picture({ of }: { of: ReasonNode }) {
  const { boxes, width, height, folded } = layOutConflict(of);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
      <div class="picture" tabIndex={0} role="region" aria-label="The conflict as a picture">
        <svg
          width={width + 8}
          height={height}
          viewBox={`-4 0 ${width + 8} ${height}`}
          role="img"
          aria-label="The text below describes the same tree"
        >
          {boxes.map((box) => (
            <Edge key={box.id} to={box} from={box.parent === undefined ? undefined : byId.get(box.parent)} />
          ))}
          {boxes.map((box) => (
            <g key={box.id} class={`box role-${box.node.role}`}>
              <rect x={box.x} y={box.y} width={BOX_WIDTH} height={box.height} rx={4} />
              <text x={box.x + 10} y={box.y - 5} class="box-role">
                {isFirstOfRole(box, boxes) ? COLUMNS[box.node.role] : ''}
              </text>
              {box.lines.map((line, index) => (
                <text key={line} x={box.x + 10} y={box.y + 21 + index * 17}>
                  {line}
                </text>
              ))}
            </g>
          ))}
        </svg>
      </div>
      {folded > 0 && <p class="pale">{counted(folded, 'more reason')}: all stand below in words.</p>}
    </>
  );
}

function Edge({ from, to }: { from: ConflictBox | undefined; to: ConflictBox }) {
  if (from === undefined) return null;
  const start = from.x + BOX_WIDTH;
  const startY = from.y + from.height / 2;
  const endY = to.y + to.height / 2;
  const middle = (start + to.x) / 2;
  return (
    <g class="edge">
      <path d={`M${start} ${startY}C${middle} ${startY} ${middle} ${endY} ${to.x - 6} ${endY}`} />
      <path class="edge-head" d={`M${to.x - 7} ${endY - 4}L${to.x - 1} ${endY}L${to.x - 7} ${endY + 4}z`} />
      {to.node.edge !== '' && (
        <text x={to.x - 10} y={endY - 6} text-anchor="end">
          {to.node.edge.length > 15 ? `${to.node.edge.slice(0, 14)}…` : to.node.edge}
        </text>
      )}
    </g>
  );
}

function Reason({ of }: { of: ReasonNode }) {
  return (
    <li>
      {of.edge !== '' && <span class="pale">{of.edge} </span>}
      {of.text}
      {of.children.length > 0 && (
        <ul>
          {of.children.map((child, index) => (
            <Reason key={`${index}${child.text}`} of={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
