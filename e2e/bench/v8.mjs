// Times the guest in V8: node v8.mjs GUEST SIZE... prints the nanoseconds a request, a line each.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [guest, ...sizes] = process.argv.slice(-+process.env.ARGUMENTS);
const wasi = new WASI({ version: 'preview1' });
const { instance } = await WebAssembly.instantiate(readFileSync(guest), wasi.getImportObject());
wasi.initialize(instance);
const { prepare, read } = instance.exports;
for (const size of sizes) {
  const times = Math.ceil(4e5 / prepare(+size));
  for (let i = 0; i < 150; i++) read(times); // V8 compiles what is hot
  let best = Infinity; // other programs only ever slow it down
  for (let i = 0; i < 200; i++) {
    const start = process.hrtime.bigint();
    read(times);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / times);
  }
  console.log(Math.round(best));
}
