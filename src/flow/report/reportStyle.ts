import { darkColours, flowStyle, lightColours } from './drawFlow.ts';
import { seriesStyle } from './drawHeadlines.ts';
import { mapStyle } from './drawMap.ts';

/**
 * The style sheet of the report and of the page of `trawler show`, light and dark, from the width of a phone up. `src/show/page/README.md`
 * says what its sizes, spaces and colours are.
 */
export const reportStyle: string = `
:root{color-scheme:light dark;${lightColours};
--t1:12px;--t2:14px;--t3:16px;--t4:20px;--t5:28px;--s1:4px;--s2:8px;--s3:12px;--s4:16px;--s5:24px;--s6:40px;--r:8px;
--mono:ui-monospace,SFMono-Regular,Menlo,monospace}
@media (prefers-color-scheme:dark){
:root{${darkColours}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:var(--s5) var(--s5) var(--s6);background:var(--bg);color:var(--ink);
font:var(--t2)/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
h1,h2,h3,b,strong,th{font-weight:600}
h1{font-size:var(--t5);line-height:1.2;margin:0;letter-spacing:-.01em}
h2{font-size:var(--t3);line-height:1.3;margin:var(--s6) 0 var(--s3)}
h3{font-size:var(--t2);margin:var(--s4) 0 var(--s2)}
p{margin:0 0 var(--s2)}
.mute{color:var(--mute);font-weight:400}
a{color:var(--c1);text-underline-offset:2px;padding:5px 0}
.title{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s3);align-items:center;margin:0 0 var(--s1)}
.badge{padding:1px 10px;border:1px solid;border-radius:99px;font-size:var(--t1);font-weight:600;white-space:nowrap}
.badge:empty{display:none}
.ending{font-size:var(--t3);margin:0}.ending::first-letter{text-transform:uppercase}
.steps{margin:var(--s4) 0 0;padding:var(--s3) var(--s4);list-style:none;background:var(--card);border:1px solid var(--line);
border-radius:var(--r)}
.steps li+li{margin-top:var(--s2)}
.command{display:block;margin-top:var(--s1);padding:var(--s2) var(--s3);border-radius:6px;background:var(--bg);color:var(--ink);
user-select:all;cursor:copy}
.file{margin:0 0 var(--s5)}.file p span{margin:0 var(--s2)}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.scroll{border:1px solid var(--line);border-radius:var(--r)}
.scroll{overflow-x:auto;--edge:color-mix(in srgb,var(--mute) 45%,transparent);
background:linear-gradient(to right,var(--card) 40%,transparent) left/40px 100% no-repeat local,
linear-gradient(to left,var(--card) 40%,transparent) right/40px 100% no-repeat local,
linear-gradient(to right,var(--edge),transparent) left/14px 100% no-repeat,
linear-gradient(to left,var(--edge),transparent) right/14px 100% no-repeat,var(--card)}
.drawing{padding:var(--s2);margin:var(--s2) 0 var(--s4);background:var(--card);
border:1px solid var(--line);border-radius:var(--r);overflow-x:auto}
.drawing .flow{display:block;margin:0 auto}
.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}.c4{color:var(--c4)}.c5{color:var(--c5)}.ink{color:var(--ink)}
.line-colour{color:var(--line)}
table{border-collapse:collapse;width:100%;font-size:var(--t2)}
th,td{padding:var(--s2) var(--s3);text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tbody tr:last-child>*{border-bottom:0}tbody th{white-space:normal;overflow-wrap:normal}
th{white-space:nowrap;overflow-wrap:normal}thead th{color:var(--mute);font-size:var(--t1)}
.n{text-align:right;white-space:nowrap}
.nowrap{white-space:nowrap;overflow-wrap:normal}
.wide{min-width:240px}
.stages+p,.steps+p{margin-top:var(--s3)}
.sample{width:auto;min-width:100%}
.sample td,.sample th{padding:var(--s1) var(--s3)}
.sample td div{max-width:240px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;width:max-content}
.sample.few td div{max-width:480px}
.failures td:not(.wide){width:1%}.failures details{margin:2px 0 0}.failures summary{color:var(--mute)}
summary{cursor:pointer;padding:var(--s1) 0}
code{font:var(--t1)/1.5 var(--mono);color:var(--mute)}
@media (max-width:640px){body{padding:var(--s4) var(--s3) var(--s5)}h1{font-size:var(--t4)}.ending{font-size:var(--t2)}
th,td{padding:var(--s1) var(--s2)}.wide{min-width:0}
.stages{margin-top:var(--s4)}.stages thead{display:none}
.stages :is(table,tbody,tr,th,td){display:block;border:0;text-align:left;padding:1px var(--s2);white-space:normal}
.stages tr{padding:var(--s2) 0}.stages tr+tr{border-top:1px solid var(--line)}
.stages td[data-head]::before{content:attr(data-head) ": ";color:var(--mute)}.stages td.n{display:inline-block}}
@media print{body{max-width:none;background:none}}
summary h2{display:inline}.fold>summary{margin:var(--s6) 0 var(--s3)}
.key i.stroke{width:16px;height:0;border:0;border-top:3px solid currentColor}
${flowStyle}${mapStyle}${seriesStyle}`;
