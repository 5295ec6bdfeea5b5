import { flowStyle } from './drawFlow.ts';
import { mapStyle } from './drawMap.ts';
import { rankStyle } from './drawRanks.ts';

/** The style sheet of the report: light and dark, from the width of a phone up. */
export const reportStyle: string = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1c2128;--mute:#5c6672;--line:#d5dae0;--good:#1a7f4e;--warn:#9a6200;--bad:#c4312c;--c1:#2a66c4;--c2:#2a9d6f;--c3:#d9622b}
@media (prefers-color-scheme:dark){:root{--bg:#12151a;--card:#1b2027;--ink:#e6e9ed;--mute:#98a2ad;--line:#3a424c;--good:#4cc38a;--warn:#e0a84a;--bad:#ff7b72;--c1:#5b97f5;--c2:#3fb984;--c3:#f08450}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:24px 20px 48px;background:var(--bg);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:26px;line-height:1.2;margin:0 0 6px}
h2{font-size:17px;margin:32px 0 10px}
h3{font-size:14px;margin:18px 0 -8px}
p{margin:0 0 8px}
.mute{color:var(--mute);font-weight:400}
a{color:var(--c1)}
.steps{margin:14px 0 0;padding:12px 16px;list-style:none;background:var(--card);border:1px solid var(--line);border-radius:8px}
.steps li+li{margin-top:8px}
.command{display:block;margin-top:4px;padding:7px 10px;border-radius:6px;background:var(--bg);color:var(--ink);font-size:13px;user-select:all;cursor:copy}
.file{margin:0 0 18px}.file p{margin:0 0 6px}.file p span{margin:0 8px}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:10px;margin:18px 0 0;padding:0}
.tiles+.mute{margin-top:8px}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.tiles dt{color:var(--mute);font-size:13px}
.tiles dd{margin:0;font-size:21px;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.3}
.scroll{border:1px solid var(--line);border-radius:8px}
.scroll{overflow-x:auto;--edge:color-mix(in srgb,var(--mute) 45%,transparent);background:linear-gradient(to right,var(--card) 40%,transparent) left/40px 100% no-repeat local,linear-gradient(to left,var(--card) 40%,transparent) right/40px 100% no-repeat local,linear-gradient(to right,var(--edge),transparent) left/14px 100% no-repeat,linear-gradient(to left,var(--edge),transparent) right/14px 100% no-repeat,var(--card)}
.drawing{padding:4px;margin:14px 0;background:var(--card);border:1px solid var(--line);border-radius:8px}
.drawing svg{display:block;max-width:100%;height:auto;max-height:640px}.drawing .map{width:100%}.drawing figcaption{padding:6px 12px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:14px}
.chart{margin:0;padding:14px 16px 10px;background:var(--card);border:1px solid var(--line);border-radius:8px;display:grid;grid-template:"t t" auto "y s" 150px "o x" auto/auto 1fr;column-gap:8px}
.chart figcaption{grid-area:t;margin-bottom:12px;display:flex;flex-wrap:wrap;gap:2px 14px;align-items:baseline;font-size:13px}
.chart figcaption b{font-size:14px;margin-right:auto}
.chart i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:5px;background:currentColor}
.chart i.stroke{height:3px;vertical-align:3px}
.chart svg{grid-area:s;width:100%;height:150px;display:block;overflow:visible}
.chart .y{display:flex;justify-content:space-between;color:var(--mute);font-size:12px;font-variant-numeric:tabular-nums}
.chart .y{grid-area:y;flex-direction:column;text-align:right;margin:-9px 0;white-space:nowrap}
.chart svg.x{grid-area:x;height:16px;margin-top:4px}.chart .x text{fill:var(--mute);font-size:12px;font-variant-numeric:tabular-nums}
.chart+p{margin:6px 2px 0}
.chart .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.chart .line{stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke;fill:none}
.chart svg{shape-rendering:crispEdges}.chart rect{fill:currentColor}.chart rect.hit{fill:transparent}.chart g:hover .hit{fill:var(--line);opacity:.5}
.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}.c4{color:var(--ink)}.c5{color:var(--line)}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:6px 12px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:last-child>*{border-bottom:0}tbody th{white-space:normal;overflow-wrap:normal}
th{font-weight:600;white-space:nowrap}thead th{color:var(--mute);font-size:13px}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.nowrap{white-space:nowrap;overflow-wrap:normal}
.wide{min-width:240px}
.stages+p{margin-top:10px}
.sample{width:auto;min-width:100%;font-size:13px}
.sample td,.sample th{padding:4px 12px}.sample td div{max-width:240px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;width:max-content}.sample.few td div{max-width:480px}
.failures td:not(.wide){width:1%}.failures details{margin:2px 0 0}.failures summary{padding:0;color:var(--mute)}
summary{cursor:pointer}
code{font:12px ui-monospace,SFMono-Regular,Menlo,monospace;color:var(--mute)}
@media (max-width:640px){body{padding:16px 12px 32px;font-size:14px}.chart .x .odd{display:none}th,td{padding:5px 8px}.tiles{grid-template-columns:1fr 1fr}.drawing:where(:not(:has(.map))){display:none}.wide{min-width:0}
.stages{margin-top:14px}.stages thead{display:none}.stages :is(table,tbody,tr,th,td){display:block;border:0;text-align:left;padding:1px 10px;white-space:normal}.stages tr{padding:8px 0}.stages tr+tr{border-top:1px solid var(--line)}.stages td[data-head]::before{content:attr(data-head) ": ";color:var(--mute)}.stages td.n{display:inline-block}}
@media print{body{max-width:none;background:none}}
${flowStyle}${mapStyle}${rankStyle}`;
