/** Every attack of the catalogue against a gate in this process. catalogue-races.test.ts has those that race. */
import { THREAT_IDS } from '../../attack/threats.ts';
import { RACING, walkCatalogue } from './walk-catalogue.ts';

walkCatalogue(THREAT_IDS.filter((threat) => !RACING.includes(threat)));
