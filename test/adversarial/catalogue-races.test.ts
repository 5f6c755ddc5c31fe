/** The attacks that race, or that try another project's IDs: on SQLite, and always on PostgreSQL too. */
import { RACING, walkCatalogue } from './walk-catalogue.ts';

walkCatalogue(RACING);
