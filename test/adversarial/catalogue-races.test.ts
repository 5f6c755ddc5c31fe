/** The attacks that race, or look for what is another project's: on SQLite, and on PostgreSQL every time. */
import { RACING, walkCatalogue } from './walk-catalogue.ts';

walkCatalogue(RACING);
