export const pageStyle = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5d6878; --paper: #fff; --panel: #f5f6f8; --line: #d8dde4;
  --good: #1a7f4b; --bad: #c0322b; --warn: #9a6700; --added: #e3f5e9; --removed: #fbe9e7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --paper: #14181e; --panel: #1d232b;
  --line: #343c47; --good: #4cc38a; --bad: #ff7b72; --warn: #e3b341; --added: #16301f; --removed: #3a1d1c; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main, footer { max-width: 980px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 28px; border-bottom: 1px solid var(--line); }
header h1 { margin: 0; font-size: 30px; } header p { margin: 4px 0 18px; font-size: 17px; overflow-wrap: anywhere; }
.pass h1 { color: var(--good); } .fail h1 { color: var(--bad); } .inconclusive h1 { color: var(--warn); }
h2 { margin: 30px 0 10px; font-size: 19px; } h3 { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 18px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px; padding: 14px 18px; margin: 0 0 16px; }
.class { background: var(--panel); border-radius: 4px; padding: 1px 7px; color: var(--bad); font-size: 13px; }
.where { margin: 4px 0 10px; color: var(--soft); overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th { width: 84px; text-align: left; font-weight: 500; color: var(--soft); vertical-align: top; padding: 2px 0; }
td { font: 13px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; padding: 2px 0; }
pre, code { font: 13px/1.5 ui-monospace, monospace; background: var(--panel); border-radius: 4px; }
pre { margin: 0; padding: 8px 10px; overflow-x: auto; } code { padding: 2px 6px; overflow-wrap: anywhere; }
figure { margin: 12px 0 0; } figcaption { color: var(--soft); font-size: 13px; }
pre .added { background: var(--added); } pre .removed { background: var(--removed); }
.path { margin: 10px 0 0; padding-left: 22px; color: var(--soft); font-size: 13px; }
details { margin-top: 12px; } summary { cursor: pointer; color: var(--soft); }
.commands { margin: 12px 0 0; }
svg { max-width: 100%; height: auto; font: 13px system-ui, sans-serif; } svg text { fill: var(--ink); }
.plot { width: 100%; } .plot .axis { fill: var(--soft); font-size: 11px; } .plot .grid { stroke: var(--line); }
.plot .same { stroke: var(--soft); stroke-dasharray: 3 3; } .plot .interval { stroke-width: 3; stroke-linecap: round; }
.worse .interval { stroke: var(--bad); } .worse circle { fill: var(--bad); } .not-worse .interval { stroke: var(--good); }
.not-worse circle { fill: var(--good); } .plot .inconclusive .interval { stroke: var(--warn); } .plot .inconclusive circle { fill: var(--warn); }
.graph rect { fill: var(--panel); stroke: var(--line); } .graph .changed rect { stroke: var(--warn); stroke-width: 2.5; }
.graph path { fill: none; stroke: var(--soft); stroke-width: 1.4; } .graph .tip { fill: var(--soft); stroke: none; }
.graph .failed path { stroke: var(--bad); } .graph .failed .tip { fill: var(--bad); stroke: none; }
.graph .label { fill: var(--soft); font-size: 11px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
ul { padding-left: 20px; } li { overflow-wrap: anywhere; }
footer { margin-top: 30px; padding-bottom: 30px; color: var(--soft); font-size: 12px; overflow-wrap: anywhere; }
`;
