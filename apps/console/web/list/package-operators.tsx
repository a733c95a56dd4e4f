import type { OperatorRow } from '#core/view/rows/rows';
import { exactly, paths } from '../live/address.js';
import { Section } from '../parts/page.js';
import { Empty } from '../parts/states.js';
import { List } from './list.js';
import { operatorColumns } from './operator-columns.js';

type PackageOperatorsProps = Readonly<{ title: string; package: string; filters: readonly string[] }>;

/** The operators of one package in all clusters. */
export const PackageOperators = ({ title, package: name, filters }: PackageOperatorsProps) => (
  <Section title={title}>
    <List<OperatorRow>
      label={`Operators of ${name}`}
      noun="operator"
      resource="operators"
      fixed={exactly({ package: name })}
      filters={filters}
      columns={operatorColumns('package')}
      href={paths.operator}
      empty={<Empty title="No cluster has this operator." />}
    />
  </Section>
);
