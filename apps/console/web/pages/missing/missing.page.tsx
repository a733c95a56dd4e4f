import { Page } from '../../parts/page.js';
import { Empty } from '../../parts/states.js';

export default function MissingPage() {
  return (
    <Page title="No such page">
      <Empty title="The console has no page at this address.">
        <p>
          <a href="/">Fleet</a> · <a href="/operators">Operators</a> · <a href="/catalogs">Catalogs</a>
        </p>
      </Empty>
    </Page>
  );
}
