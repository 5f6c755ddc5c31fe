/** The attacks that race, or look for another project's things: on SQLite, and always on PostgreSQL too. */
import { RACING, walkCatalogue } from './walk-catalogue.ts';

walkCatalogue(RACING);
