/** `node make-cast.ts DATA`: creates the cast in a process of its own, and prints it. */
import { makeCast } from './cast.ts';

console.log(JSON.stringify(await makeCast(process.argv[2] ?? '')));
