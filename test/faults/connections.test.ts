import { connections } from './connections.ts';
import { inShort } from './short-form.ts';

inShort(connections);
